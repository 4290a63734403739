// SPDX-License-Identifier: Apache-2.0
// Red-black tree whose nodes lie inside kernel objects: every link that is followed or changed is a
// modelled access at its place in the object.
#pragma once

#include "kernel/base/place.h"

namespace linefill::kernel {

struct RbNode;

/// Parent and colour share one word, as in the kernel.
struct RbParent {
    RbNode* parent = nullptr;
    bool black = false;
};

struct RbNode {
    /// `at`: the place of the embedded rb_node ("se.run_node.").
    explicit RbNode(const Place& at)
        : parent_color(at, "__rb_parent_color"), rb_right(at, "rb_right"), rb_left(at, "rb_left") {}

    Field<RbParent> parent_color;
    PtrField<RbNode> rb_right, rb_left;
    void* owner = nullptr;  ///< host side: the object that the node lies in
};

/// rb_root: one word, at the place of the member that holds it.
struct RbRoot {
    RbRoot(const Place& at, const char* field) : rb_node(at, field) {}
    PtrField<RbNode> rb_node;
};

/// Hangs `node` below `parent` at `link` (the root or a child link of `parent`), red.
void rb_link_node(RbNode& node, RbNode* parent, PtrField<RbNode>& link);
/// Restores the invariants after rb_link_node.
void rb_insert_color(RbNode& node, RbRoot& root);
void rb_erase(RbNode& node, RbRoot& root);
/// In-order successor; null at the end.
KPtr<RbNode> rb_next(KPtr<RbNode> node);

/// Checks all invariants on host values; returns the number of nodes, or -1 if one is broken.
int rb_check(const RbRoot& root);

}  // namespace linefill::kernel
