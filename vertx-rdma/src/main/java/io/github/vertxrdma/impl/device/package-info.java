/** Devices as one event loop uses them: slots, registered memory, receives, turns. */
package io.github.vertxrdma.impl.device;
