/** The service directory in a Hazelcast cluster. */
package io.github.vertxrdma.cluster;
