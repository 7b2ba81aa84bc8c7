/** The soak: random operations and faults, which leave nothing. */
package io.github.vertxrdma.perf.soak;
