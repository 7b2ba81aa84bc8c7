/** Netty channels over links, and a Vert.x transport with such channels. */
package io.github.vertxrdma.impl.transport;
