/** Events for Java Flight Recorder, of set-up and failures, not of messages. Without a recording they cost nothing. */
package io.github.vertxrdma.impl.events;
