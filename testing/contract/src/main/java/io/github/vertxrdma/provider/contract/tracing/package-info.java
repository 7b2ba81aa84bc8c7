/** A tracer for tests of what Vert.x's tracing hears; the one package that needs Vert.x. */
package io.github.vertxrdma.provider.contract.tracing;
