// SPDX-License-Identifier: Apache-2.0
// main() of the test binaries. It is an object of ours because the SystemC library exports a main()
// too, which the linker would find before the one in GoogleTest's archive.
#include <gmock/gmock.h>

int main(int argc, char** argv) {
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
