/** Workloads: each class is one way of working, with a server and a client in processes of their own. */
package io.github.vertxrdma.perf.work;
