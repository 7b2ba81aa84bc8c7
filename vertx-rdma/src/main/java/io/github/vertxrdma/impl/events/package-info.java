/** What Java Flight Recorder hears of: events of set-up and trouble, none of messages. They cost nothing unless they are recorded. */
package io.github.vertxrdma.impl.events;
