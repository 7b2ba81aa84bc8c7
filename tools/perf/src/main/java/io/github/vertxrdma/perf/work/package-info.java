/** Workloads, each with a server and a client in separate processes. */
package io.github.vertxrdma.perf.work;
