/** A tracer for tests of tracing by Vert.x. The only package here that needs Vert.x. */
package io.github.vertxrdma.provider.contract.tracing;
