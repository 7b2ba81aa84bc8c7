/** The node of this process: its devices, choice of a fabric, listening and statistics. */
package io.github.vertxrdma.impl.node;
