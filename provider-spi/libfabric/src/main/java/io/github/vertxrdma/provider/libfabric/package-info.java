/** The libfabric provider, for devices that libfabric supports. */
package io.github.vertxrdma.provider.libfabric;
