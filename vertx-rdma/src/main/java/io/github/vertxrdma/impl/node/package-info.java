/** This process as a node: its devices, the choice of a fabric, listening, statistics. */
package io.github.vertxrdma.impl.node;
