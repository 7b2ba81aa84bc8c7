/** Access to the machine that commands inspect. */
package io.github.vertxrdma.cli.machine;
