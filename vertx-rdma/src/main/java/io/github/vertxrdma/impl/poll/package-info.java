/** Completion queues on event loops: when a loop polls, when it sleeps, and what wakes it. */
package io.github.vertxrdma.impl.poll;
