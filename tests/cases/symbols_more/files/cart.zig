//! Carts.
const std = @import("std");

/// A line of a cart.
pub const Line = struct {
    price: i32,

    /// Makes a line.
    pub fn init(price: i32) Line {
        return .{ .price = price };
    }

    fn half(self: *const Line) i32 {
        return @divTrunc(self.price, 2);
    }
};

const Level = enum { low, high };

const Value = union(enum) {
    int: i32,
    text: []const u8,
};

/// Adds up.
pub fn total(lines: []const Line) i32 {
    var sum: i32 = 0;
    for (lines) |line| sum += line.price;
    return sum;
}

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn push(self: *@This(), item: T) void {
            _ = self;
            _ = item;
        }
    };
}

extern fn c_side(x: i32) i32;

test "adds up" {
    try std.testing.expect(total(&.{}) == 0);
}
