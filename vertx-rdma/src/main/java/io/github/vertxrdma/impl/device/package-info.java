/** Devices on one event loop: slots, registered memory, receives and polls. Objects are confined to the loop unless stated otherwise. */
package io.github.vertxrdma.impl.device;
