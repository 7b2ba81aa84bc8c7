/** Netty channels over links, and the Vert.x transport made of them. */
package io.github.vertxrdma.impl.transport;
