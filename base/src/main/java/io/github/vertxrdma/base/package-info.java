/** Mechanisms that several modules need: deadlines of a loop, attempts, records of bytes, admission of unproven peers. */
package io.github.vertxrdma.base;
