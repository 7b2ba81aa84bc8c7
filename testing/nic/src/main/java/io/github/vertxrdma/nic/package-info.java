/** Builds the verbs device of this module's C sources, and says which personality it has. */
package io.github.vertxrdma.nic;
