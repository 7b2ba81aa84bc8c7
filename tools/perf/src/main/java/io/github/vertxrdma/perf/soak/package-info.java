/** The soak: processes that do everything at random, are killed, stopped and started again, and in the end leave nothing. */
package io.github.vertxrdma.perf.soak;
