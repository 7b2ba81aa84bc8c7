/**
 * A world in one thread: virtual time, loops that stop and die, a network with faults below the in-memory fabric, and runs that a seed
 * repeats.
 */
package io.github.vertxrdma.simulator.world;
