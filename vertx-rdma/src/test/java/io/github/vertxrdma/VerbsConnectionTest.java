package io.github.vertxrdma;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(VerbsInUserSpace.class)
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.vertxrdma.nic.Nic#personalities")
class VerbsConnectionTest extends ConnectionContract {
  @Parameter
  private String name;

  @Override
  String fabric() {
    return VerbsInUserSpace.PREFIX + name;
  }
}
