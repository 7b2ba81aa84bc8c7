/** Identity and settings of this process, its runtime folder and published statistics, and events for Java Flight Recorder. */
package io.github.vertxrdma.impl.process;
