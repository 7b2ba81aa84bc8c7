/** A tracer for tests. No other package of this module needs Vert.x. */
package io.github.vertxrdma.provider.contract.tracing;
