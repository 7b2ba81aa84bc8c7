/** Checks of histories of calls on one word of memory. */
package io.github.vertxrdma.simulator.referee;
