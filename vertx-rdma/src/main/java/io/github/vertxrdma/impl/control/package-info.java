/**
 * Control connections: one TCP connection per pair of nodes, which proves the cluster secret, carries small messages and detects deaths.
 * All is confined to the control loop, an event loop, unless stated otherwise.
 */
package io.github.vertxrdma.impl.control;
