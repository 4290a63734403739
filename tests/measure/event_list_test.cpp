// SPDX-License-Identifier: Apache-2.0
// Lists of events: what -d means, what -e takes and refuses.
#include "measure/event_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using model::UserError;
using testing::HasSubstr;

std::string message_of(const std::string& list) {
    try {
        static_cast<void>(parse_event_list(list, {"elapsed", "throughput"}));
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(DefaultEvents, AreThoseOfPerfForEveryDetail) {
    EXPECT_THAT(
        default_events(),
        testing::ElementsAre("task-clock", "context-switches", "cpu-migrations", "page-faults",
                             "cycles", "instructions", "branches", "branch-misses"));
    EXPECT_EQ(default_events(1).size(), 12U);
    EXPECT_EQ(default_events(2).size(), 18U);
    const std::vector<std::string> all = default_events(3);
    ASSERT_EQ(all.size(), 20U);
    EXPECT_THAT(
        std::vector<std::string>(all.begin() + 8, all.end()),
        testing::ElementsAre("L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads",
                             "LLC-load-misses", "L1-icache-loads", "L1-icache-load-misses",
                             "dTLB-loads", "dTLB-load-misses", "iTLB-loads", "iTLB-load-misses",
                             "L1-dcache-prefetches", "L1-dcache-prefetch-misses"));
    EXPECT_THROW(static_cast<void>(default_events(4)), UserError);
    EXPECT_THROW(static_cast<void>(default_events(-1)), UserError);
}

TEST(ParseEventName, TakesAliasesAndModifiersApart) {
    const EventName name = parse_event_name("cpu-cycles:u");
    EXPECT_EQ(name.full, "cpu-cycles:u");
    EXPECT_EQ(name.event, "cycles");
    EXPECT_EQ(name.modifier, 'u');
    EXPECT_EQ(parse_event_name("cs").event, "context-switches");
    EXPECT_EQ(parse_event_name("L1-dcache-loads:k").modifier, 'k');
    EXPECT_EQ(parse_event_name("cycles:uk").modifier, '\0');
}

TEST(ParseEventList, KeepsOrderAndTakesRatiosAndFigures) {
    EXPECT_THAT(parse_event_list("cycles:u,elapsed,LLC-load-misses/LLC-loads,L1-dcache-miss-ratio",
                                 {"elapsed"}),
                testing::ElementsAre("cycles:u", "elapsed", "LLC-load-misses/LLC-loads",
                                     "L1-dcache-miss-ratio"));
}

TEST(ParseEventList, NamesTheUnknownAndTheNearest) {
    EXPECT_THAT(message_of("cycles,L1-dcache-lods"), HasSubstr("L1-dcache-lods"));
    EXPECT_THAT(message_of("cycles,L1-dcache-lods"), HasSubstr("L1-dcache-loads"));
    EXPECT_THAT(message_of("througput"), HasSubstr("\"throughput\""));
    EXPECT_THAT(message_of("LLC-load-misses/LLC-load"), HasSubstr("unknown event"));
}

TEST(ParseEventList, RefusesMalformedLists) {
    EXPECT_THAT(message_of(""), HasSubstr("empty event name"));
    EXPECT_THAT(message_of("cycles,"), HasSubstr("empty event name"));
    EXPECT_THAT(message_of("cycles,,instructions"), HasSubstr("empty event name"));
    EXPECT_THAT(message_of("cycles,cycles"), HasSubstr("twice"));
    EXPECT_THAT(message_of("cycles:x"), HasSubstr("modifier"));
    EXPECT_THAT(message_of("cycles:"), HasSubstr("modifier"));
    EXPECT_THAT(message_of("{cycles"), HasSubstr("unknown event"));
}

}  // namespace
}  // namespace linefill::measure
