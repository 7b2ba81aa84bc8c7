/** Identity of this process, its settings, the runtime folder, figures, and events for Flight Recorder. */
package io.github.vertxrdma.impl.process;
