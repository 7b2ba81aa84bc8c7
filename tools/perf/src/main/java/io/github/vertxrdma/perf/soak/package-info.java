/** The soak: random operations and faults, after which nothing may be left. */
package io.github.vertxrdma.perf.soak;
