// SPDX-License-Identifier: Apache-2.0
// Lines in flight: a transaction keeps its line at the home from request to completion; later requests
// for it queue in the order of their arrival, and each starts when the one before it has completed.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/access.h"
#include "model/sim/scheduler.h"

namespace linefill::model {

/// A request that may have to queue. When its turn comes it is scheduled (Schedulable::fire).
class LineRequester : public Schedulable {
public:
    using Schedulable::Schedulable;

    unsigned requester_socket = 0;

protected:
    friend class InFlightTable;
    LineRequester* next_in_line_ = nullptr;
    bool granted_ = false;  ///< its turn has come: begin() will let it in
};

class InFlightTable {
public:
    struct Config {
        /// Off for the ablation: nothing queues but behind a holder whose time nobody knows yet, since
        /// the caches would not be coherent otherwise.
        bool enabled = true;
        Tick remote_ack =
            0;  ///< added before a waiter of another socket starts, owner is home-local
        Tick remote_ack_far = 0;  ///< ... owner's home is the other socket
    };

    InFlightTable(Scheduler& scheduler, const Config& config);

    /// `who` wants to start on `line` at `at` (its socket set). True: it may start now. False: it is
    /// queued, and will be fired when its turn has come; it must then call begin() again.
    bool begin(Addr line, LineRequester& who, Tick at);
    /// The transaction that began holds the line until `until`; the line's new owner is in
    /// `owner_socket`; `home_is_far`: its home is another socket. kNever: until a later call says.
    void hold(Addr line, Tick until, unsigned owner_socket, bool home_is_far);
    /// A queued request whose turn has come needs nothing any more: the next in line may start.
    void leave(Addr line, LineRequester& who, Tick at);
    /// The holder's access takes longer (the locked operation itself).
    void extend(Addr line, Tick until);
    /// True if the line is held at `at` or somebody waits for it.
    bool busy(Addr line, Tick at) const;
    /// Number of requests waiting now (for deadlock reports and tests).
    std::size_t waiting() const { return waiting_; }

private:
    struct Entry {
        Addr line = ~Addr{0};
        Tick free_at = 0;
        unsigned owner_socket = 0;
        bool home_is_far = false;
        LineRequester* head = nullptr;
        LineRequester* tail = nullptr;
    };
    Entry* find(Addr line);
    const Entry* find(Addr line) const;
    Entry& insert(Addr line, Tick now);
    void grow();
    void grant_next(Entry& e);

    Scheduler& scheduler_;
    Config config_;
    std::vector<Entry> table_;  // open addressing
    std::size_t used_ = 0;
    std::size_t waiting_ = 0;
};

}  // namespace linefill::model
