// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Line.sol";

/// @title A cart of lines.
contract Cart is Base {
    struct Line { uint price; }
    enum Level { Low, High }
    event Paid(address who);
    error TooMuch();

    /// Only the owner.
    modifier onlyOwner() {
        _;
    }

    constructor(uint limit) {
    }

    /**
     * @dev Adds up.
     */
    function total(uint rate) public view returns (uint) {
        return rate;
    }

    receive() external payable {}

    fallback() external {}
}

interface Priced {
    function price() external returns (uint);
}

library Maths {
    function half(uint a) internal pure returns (uint) {
        return a / 2;
    }
}

function twice(uint a) pure returns (uint) {
    return a * 2;
}
