/** Completion queues on event loops: polling, sleeping and waking. */
package io.github.vertxrdma.impl.poll;
