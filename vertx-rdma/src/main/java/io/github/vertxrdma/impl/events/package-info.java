/** Events for Java Flight Recorder: those of set-up and trouble, none of messages. They cost nothing unless they are recorded. */
package io.github.vertxrdma.impl.events;
