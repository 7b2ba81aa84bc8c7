/** Builds providers for libfabric from the C sources of this module, which behave like those of adapters. */
package io.github.vertxrdma.fi;
