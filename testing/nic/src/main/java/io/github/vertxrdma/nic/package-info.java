/** Builds the verbs device from this module's C sources, and selects its personality. */
package io.github.vertxrdma.nic;
