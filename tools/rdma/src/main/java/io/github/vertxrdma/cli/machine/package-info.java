/** The machine as its files show it, for the commands that look at it or change it. */
package io.github.vertxrdma.cli.machine;
