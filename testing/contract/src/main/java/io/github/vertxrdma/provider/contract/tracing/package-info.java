/** The only package here that needs Vert.x. */
package io.github.vertxrdma.provider.contract.tracing;
