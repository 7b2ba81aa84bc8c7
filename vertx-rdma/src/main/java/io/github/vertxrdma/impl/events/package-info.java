/** Events for Java Flight Recorder: of set-up and failures, not of messages. They cost nothing without a recording. */
package io.github.vertxrdma.impl.events;
