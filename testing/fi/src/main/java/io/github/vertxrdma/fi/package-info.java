/** Simulated libfabric providers, built from C sources. */
package io.github.vertxrdma.fi;
