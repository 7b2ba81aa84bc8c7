package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips tests without the device in user space. After each test it selects the default device again, which completes at once. */
final class UserSpace implements BeforeEachCallback, AfterEachCallback {

  @Override
  public void beforeEach(ExtensionContext context) {
    assumeTrue(TestDevices.missing() == null, TestDevices.missing());
    assumeTrue(TestDevices.inUserSpace(), "only the device in user space is any adapter and fails on command");
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (TestDevices.inUserSpace()) {
      Nic.built().delayCompletions(0, 0);
      Nic.use(Nic.DEFAULT);
    }
  }
}
