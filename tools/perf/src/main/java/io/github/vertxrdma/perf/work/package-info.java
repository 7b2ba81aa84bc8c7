/** Workloads: each class is one of them, with a server and a client in separate processes. */
package io.github.vertxrdma.perf.work;
