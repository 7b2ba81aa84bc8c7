/** Identity of this process, its settings, the runtime folder, published statistics, and events for Java Flight Recorder. */
package io.github.vertxrdma.impl.process;
