/** The service directory in a Hazelcast cluster: that of a clustered Vert.x, or one of the application. */
package io.github.vertxrdma.cluster;
