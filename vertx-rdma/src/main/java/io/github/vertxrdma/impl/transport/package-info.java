/** Vert.x transport, whose TCP channels move to links. */
package io.github.vertxrdma.impl.transport;
