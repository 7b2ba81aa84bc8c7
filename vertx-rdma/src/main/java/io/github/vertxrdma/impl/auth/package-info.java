/** Proofs of the cluster secret, and keys sealed under it. */
package io.github.vertxrdma.impl.auth;
