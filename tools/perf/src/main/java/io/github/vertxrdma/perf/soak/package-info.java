/** The soak test: random operations and faults, after which nothing may be left. */
package io.github.vertxrdma.perf.soak;
