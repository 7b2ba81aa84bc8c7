/** Other nodes: control connections, the cluster secret, directories. */
package io.github.vertxrdma.impl.peers;
