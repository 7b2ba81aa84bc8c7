/** Checks the results of concurrent calls on one word of memory. */
package io.github.vertxrdma.simulator.referee;
