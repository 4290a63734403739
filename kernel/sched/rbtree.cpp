// SPDX-License-Identifier: Apache-2.0
// Red-black tree: insertion, removal, successor (Cormen et al., chapter 13, with parent and colour in
// one word and null leaves counted as black).
#include "kernel/sched/rbtree.h"

namespace linefill::kernel {

namespace {

using Node = KPtr<RbNode>;

RbParent parent_of(const Node& n) { return n->parent_color; }

bool is_black(const Node& n) { return !n || parent_of(n).black; }

void set_parent(const Node& n, RbNode* parent) {
    const RbParent old = n->parent_color;
    n->parent_color = RbParent{parent, old.black};
}

void set_color(const Node& n, bool black) {
    const RbParent old = n->parent_color;
    n->parent_color = RbParent{old.parent, black};
}

/// Makes `child` take the place of `old` below `parent`.
void replace_child(RbRoot& root, RbNode* parent, const RbNode* old, RbNode* child) {
    if (parent == nullptr) {
        root.rb_node = child;
    } else if (parent->rb_left.get() == old) {
        parent->rb_left = child;
    } else {
        parent->rb_right = child;
    }
}

PtrField<RbNode>& side(const Node& n, bool left) { return left ? n->rb_left : n->rb_right; }

/// Turns `n` down to its `left` (or right) side; its other child takes its place.
void rotate(RbRoot& root, const Node& n, bool left) {
    const Node up = side(n, !left).get();
    const Node inner = side(up, left).get();
    const RbParent old = n->parent_color;
    side(n, !left) = inner.get();
    if (inner) set_parent(inner, n.get());
    side(up, left) = n.get();
    set_parent(up, old.parent);
    replace_child(root, old.parent, n.get(), up.get());
    set_parent(n, up.get());
}

}  // namespace

void rb_link_node(RbNode& node, RbNode* parent, PtrField<RbNode>& link) {
    node.parent_color = RbParent{parent, false};
    node.rb_left = nullptr;
    node.rb_right = nullptr;
    link = &node;
}

void rb_insert_color(RbNode& inserted, RbRoot& root) {
    Node node(&inserted);
    for (;;) {
        const Loaded<RbParent> up = node->parent_color.load();
        Node parent(up.value.parent, up.token);
        if (!parent) {
            set_color(node, true);
            return;
        }
        const Loaded<RbParent> above = parent->parent_color.load();
        if (above.value.black) return;
        // A red parent is not the root, so there is a grandparent.
        const Node grand(above.value.parent, above.token);
        const Node left = grand->rb_left.get();
        const bool is_left = left == parent;
        const Node uncle = is_left ? grand->rb_right.get() : left;
        if (!is_black(uncle)) {
            set_color(parent, true);
            set_color(uncle, true);
            set_color(grand, false);
            node = grand;
            continue;
        }
        if (side(parent, !is_left).get() == node) {
            rotate(root, parent, is_left);
            parent = node;
        }
        set_color(parent, true);
        set_color(grand, false);
        rotate(root, grand, !is_left);
        return;
    }
}

namespace {

/// The path through `node` (maybe null), a child of `parent`, has one black node too few.
void erase_color(RbRoot& root, Node node, Node parent) {
    while (parent && is_black(node)) {
        const bool is_left = parent->rb_left.get() == node;
        Node sibling = side(parent, !is_left).get();
        if (!is_black(sibling)) {
            set_color(sibling, true);
            set_color(parent, false);
            rotate(root, parent, is_left);
            sibling = side(parent, !is_left).get();
        }
        const Node near = side(sibling, is_left).get();
        const Node far = side(sibling, !is_left).get();
        if (is_black(near) && is_black(far)) {
            set_color(sibling, false);
            node = parent;
            const Loaded<RbParent> up = node->parent_color.load();
            parent = Node(up.value.parent, up.token);
            continue;
        }
        if (is_black(far)) {
            set_color(near, true);
            set_color(sibling, false);
            rotate(root, sibling, !is_left);
            sibling = side(parent, !is_left).get();
        }
        const RbParent old = parent->parent_color;
        set_color(sibling, old.black);
        set_color(parent, true);
        const Node outer = side(sibling, !is_left).get();
        if (outer) set_color(outer, true);
        rotate(root, parent, is_left);
        return;
    }
    if (node) set_color(node, true);
}

}  // namespace

void rb_erase(RbNode& erased, RbRoot& root) {
    const Node node(&erased);
    const Node left = node->rb_left.get();
    const Node right = node->rb_right.get();
    const RbParent own = node->parent_color;
    Node child;
    Node parent;
    bool removed_black = false;
    if (left && right) {
        // The successor takes this node's place and colour; its own place is what goes.
        Node next = right;
        for (Node l = next->rb_left.get(); l; l = next->rb_left.get()) next = l;
        const Loaded<RbParent> above = next->parent_color.load();
        removed_black = above.value.black;
        child = next->rb_right.get();
        if (next == right) {
            parent = next;
        } else {
            parent = Node(above.value.parent, above.token);
            parent->rb_left = child.get();
            if (child) set_parent(child, parent.get());
            next->rb_right = right.get();
            set_parent(right, next.get());
        }
        next->rb_left = left.get();
        set_parent(left, next.get());
        next->parent_color = RbParent{own.parent, own.black};
        replace_child(root, own.parent, node.get(), next.get());
    } else {
        child = left ? left : right;
        parent = Node(own.parent);
        removed_black = own.black;
        if (child) set_parent(child, own.parent);
        replace_child(root, own.parent, node.get(), child.get());
    }
    if (removed_black) erase_color(root, child, parent);
}

KPtr<RbNode> rb_next(KPtr<RbNode> node) {
    Node right = node->rb_right.get();
    if (right) {
        for (Node l = right->rb_left.get(); l; l = right->rb_left.get()) right = l;
        return right;
    }
    for (;;) {
        const Loaded<RbParent> up = node->parent_color.load();
        const Node parent(up.value.parent, up.token);
        if (!parent || !(parent->rb_right.get() == node)) return parent;
        node = parent;
    }
}

namespace {

struct Checked {
    int nodes = 0;
    int black_height = 0;  // -1: broken
};

Checked check_below(const RbNode* n, const RbNode* parent) {
    if (n == nullptr) return {0, 1};
    const RbParent own = n->parent_color.peek();
    if (own.parent != parent) return {0, -1};
    if (!own.black && (parent == nullptr || !parent->parent_color.peek().black)) return {0, -1};
    const Checked l = check_below(n->rb_left.peek(), n);
    const Checked r = check_below(n->rb_right.peek(), n);
    if (l.black_height < 0 || l.black_height != r.black_height) return {0, -1};
    return {l.nodes + r.nodes + 1, l.black_height + (own.black ? 1 : 0)};
}

}  // namespace

int rb_check(const RbRoot& root) {
    const Checked c = check_below(root.rb_node.peek(), nullptr);
    return c.black_height < 0 ? -1 : c.nodes;
}

}  // namespace linefill::kernel
