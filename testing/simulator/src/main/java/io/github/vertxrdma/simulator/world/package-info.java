/**
 * Simulation of several processes in one thread: virtual time, event loops that can be stopped and killed, and network faults. A seed
 * reproduces each run.
 */
package io.github.vertxrdma.simulator.world;
