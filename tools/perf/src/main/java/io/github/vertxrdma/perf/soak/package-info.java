/** The soak: processes that execute all operations at random, are killed, stopped and started again, and leave nothing at the end. */
package io.github.vertxrdma.perf.soak;
