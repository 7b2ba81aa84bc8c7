/** Test providers for libfabric, built from C sources. */
package io.github.vertxrdma.fi;
