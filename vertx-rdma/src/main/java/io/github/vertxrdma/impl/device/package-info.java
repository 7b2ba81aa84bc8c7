/**
 * Devices on one event loop: slots, registered memory, receives, turns. Objects are confined to that loop unless stated
 * otherwise.
 */
package io.github.vertxrdma.impl.device;
