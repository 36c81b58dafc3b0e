"""Formulas as learners write them and, in Python, what they mean; see test_reading."""

#: Names in the formulas at the right: d and dd before a coordinate are its rates.
COORDINATES = {"q": "q", "q1": "q1", "q2": "q2", "q3": "q3", "th": "theta", "th1": "theta1", "th2": "theta2", "x": "x",
               "y": "y", "ph": "phi", "al": "alpha", "be": "beta", "X1": "x1", "ps": "psi"}
CONSTANTS = {"m": "m", "m1": "m1", "m2": "m2", "m3": "m3", "M": "M", "l": "l", "l1": "l1", "l2": "l2", "L1": "L1",
             "lc1": "l_c1", "lc2": "l_c2", "Lc1": "lc1", "g": "g", "k": "k", "c": "c", "r": "r", "R": "R", "a": "a",
             "b": "b", "I": "I", "I1": "I1", "I2": "I2", "Izz": "I_zz", "Ixx": "I_xx", "J": "J", "J1": "J1", "J2": "J2",
             "F": "F", "tau1": "tau1", "om": "omega", "t": "t", "mc": "m_c", "mp": "m_p", "mcart": "m_cart",
             "s12": "s12", "c2": "c2", "s2": "s2", "h": "h", "p": "p", "w": "w", "lam": "lambda",
             "e": "e"}
PLAIN = {
    # one pendulum, mass on a spring
    "m l^2 theta'' + m g l sin(theta)": "m*l**2*ddth + m*g*l*sin(th)",
    "m·l²·θ̈ + m·g·l·sin(θ)": "m*l**2*ddth + m*g*l*sin(th)",
    "m × l^2 × theta_ddot + m × g × l × sin theta": "m*l**2*ddth + m*g*l*sin(th)",
    "1/2 m l^2 theta'^2 + m g l (1 - cos theta)": "0.5*m*l**2*dth**2 + m*g*l*(1 - cos(th))",
    "½ m l² θ̇² − m g l cos θ": "0.5*m*l**2*dth**2 - m*g*l*cos(th)", "m l^2/12 + m (l/2)^2": "m*l**2/12 + m*l**2/4",
    "-(g/l)*sin(th)": "-(g/l)*sin(th_)", "-3g/(2l) sin θ": "-3*g/(2*l)*sin(th)", "√(k/m)": "sqrt(k/m)",
    "2π√(l/g)": "2*pi*sqrt(l/g)", "m x'' + c x' + k x": "m*ddx + c*dx + k*x", "1/2k x^2": "0.5*k*x**2",
    ".5 k x^2": "0.5*k*x**2", "F cos ωt": "F*cos(om*t)", "x e^(-c t/(2m))": "x*exp(-c*t/(2*m))",
    # double pendulum
    "(m_1 + m_2) l_1^2 q1'' + m_2 l_1 l_2 cos(q1 - q2) q2''": "(m1 + m2)*l1**2*ddq1 + m2*l1*l2*cos(q1 - q2)*ddq2",
    "m2*l1*l2*(2*qd1*qd2 + qd2**2)*sin(q2)": "m2*l1*l2*(2*dq1*dq2 + dq2**2)*sin(q2)",
    "m1l1^2 + m2(l1^2 + l2^2 + 2l1l2cos(q2))": "m1*l1**2 + m2*(l1**2 + l2**2 + 2*l1*l2*cos(q2))",
    "m₁l₁²θ̈₁ + m₂l₁l₂cos(θ₁−θ₂)θ̈₂": "m1*l1**2*ddth1 + m2*l1*l2*cos(th1 - th2)*ddth2",
    "(m1+m2)*g*l1*sin(theta1) + m2*g*l2*sin(theta1+theta2)": "(m1+m2)*g*l1*sin(th1) + m2*g*l2*sin(th1+th2)",
    "m2*l1*l2*theta_dot_1*theta_dot_2": "m2*l1*l2*dth1*dth2", "m2*l1*l2*thetadot1*thetadot2": "m2*l1*l2*dth1*dth2",
    "m2*l1*l2*theta1_dot*theta2_ddot": "m2*l1*l2*dth1*ddth2", "m2 l1 l2 sin q2 q1' q2'": "m2*l1*l2*sin(q2)*dq1*dq2",
    "m2*l1*l2*sin(q2)*q1d*q2dd": "m2*l1*l2*sin(q2)*dq1*ddq2",
    "m2*l1*l2*sin(q2(t))*Derivative(q1(t), t)*Derivative(q2(t), (t, 2))": "m2*l1*l2*sin(q2)*dq1*ddq2",
    "I_{1} + m_{1} l_{c1}^{2}": "I1 + m1*lc1**2",
    # cart and pendulum
    "(M + m) x'' + m l cos(theta) theta'' - m l sin(theta) theta'^2":
        "(M + m)*ddx + m*l*cos(th)*ddth - m*l*sin(th)*dth**2",
    "(m_c+m_p)*xdd": "(mc+mp)*xdd_", "m_cart*x_ddot": "mcart*ddx",
    "(F + m sin(theta) (l theta'^2 + g cos(theta))) / (M + m sin^2(theta))":
        "(F + m*sin(th)*(l*dth**2 + g*cos(th)))/(M + m*sin(th)**2)",
    "m sin^2 theta": "m*sin(th)**2", "m sin(theta)^2": "m*sin(th)**2", "m*Sin[theta]*Cos[theta]": "m*sin(th)*cos(th)",
    "m*np.sin(theta)*math.cos(theta)": "m*sin(th)*cos(th)",
    # Furuta, acrobot, spherical pendulum, disc
    "J1 + m2 L1^2 + (J2 + m2 l2^2) sin^2 θ2": "J1 + m2*L1**2 + (J2 + m2*l2**2)*sin(th2)**2",
    "1/2 sin 2θ2 θ1'^2": "0.5*sin(2*th2)*dth1**2",
    "m l² (θ̈ − sin θ cos θ φ̇²) + m g l sin θ": "m*l**2*(ddth - sin(th)*cos(th)*dph**2) + m*g*l*sin(th)",
    "m l^2 (sin^2θ φ̈ + 2 sinθ cosθ θ̇ φ̇)": "m*l**2*(sin(th)**2*ddph + 2*sin(th)*cos(th)*dth*dph)",
    "p^2/(2 m l^2 sin^2(theta))": "p**2/(2*m*l**2*sin(th)**2)", "I_{zz}": "Izz", "I_zz": "Izz",
    # decisions
    "x^-1": "1/x", "-x^2": "-x**2", "(-x)^2": "x**2", "2^3^2": "512", "2^-x": "2**-x", "10e-3*x": "0.01*x",
    "1.5e3": "1500", "2(3)": "6", "x^(1/2)": "sqrt(x)", "x^1/2": "x/2", "|x - 3|": "abs(x - 3)",
    "|x||y|": "abs(x)*abs(y)", "m|x|": "m*abs(x)", "sin 2x": "sin(2*x)", "sin x cos y": "sin(x)*cos(y)",
    "sin a b": "sin(a)*b", "sin -x": "sin(-x)", "sin x/2": "sin(x)/2", "sin x^2": "sin(x**2)",
    "sin cos x": "sin(cos(x))", "sin2x": "sin(2*x)", "sin 2(x+y)": "sin(2*(x + y))", "sinx cosy": "sin(x)*cos(y)",
    "sin^-1(x/4)": "asin(x/4)", "arctan(x)": "atan(x)", "atan2(y, x)": "atan2(y, x)", "ln x": "log(x)", "e^x": "exp(x)",
    "e*x": "e*x", "m1l1": "m1*l1", "m g l1sin(q1)": "m*g*l1*sin(q1)", "q1dot^2": "dq1**2", "a/b/c": "a/b/c",
    "a/b*c": "a/b*c", "a/b c": "a/b*c", "a/2b": "a/(2*b)", "1/2b": "b/2", "a/b(c+r)": "a/b*(c+r)",
    "g/lsin(x)": "g/l*sin(x)", "a - -b": "a + b", "a*-b": "-a*b", "x² y³": "x**2*y**3", "x⁻¹": "1/x", "x₁": "X1",
    "𝑚𝑙²": "m*l**2", "theta1’": "dth1", "m*l*theta1''  # angular part": "m*l*ddth1", "(m1 + m2)\n * g": "(m1 + m2)*g",
    "m1*g +\nm2*g": "m1*g + m2*g", "a + (b\n + c)": "a + b + c", "lambda*a + λ b": "lam*(a + b)"}
LATEX = {
    r"$m l^2 \ddot\theta + m g l \sin\theta$": "m*l**2*ddth + m*g*l*sin(th)",
    r"\frac{1}{2}m l^{2}\dot{\theta}^{2}-mgl\cos\theta": "0.5*m*l**2*dth**2 - m*g*l*cos(th)",
    r"\tfrac12 m \dot x^2 + \dfrac{1}{2} I \dot\theta^2": "0.5*m*dx**2 + 0.5*I*dth**2", r"\frac ab": "a/b",
    r"m_1 l_1^2 \ddot{\theta}_1": "m1*l1**2*ddth1", r"m_{1}l_{1}^{2}\ddot{\theta}_{1}": "m1*l1**2*ddth1",
    r"\left(m_1+m_2\right)l_1^2\ddot\theta_1+m_2l_1l_2\cos\left(\theta_1-\theta_2\right)\ddot\theta_2":
        "(m1 + m2)*l1**2*ddth1 + m2*l1*l2*cos(th1 - th2)*ddth2",
    r"-m_2 l_1 l_{2}\sin q_2\left(2\dot q_1\dot q_2+\dot q_2^2\right)": "-m2*l1*l2*sin(q2)*(2*dq1*dq2 + dq2**2)",
    r"m_1 l_{c_1}^2 + I_{1}": "m1*lc1**2 + I1", r"\dot{q}_1^2": "dq1**2", r"m_{\text{cart}}\ddot{x}": "mcart*ddx",
    r"m_\mathrm{cart}\ddot{x}": "mcart*ddx",
    r"\left(J_1+m_2L_1^2+J_2\sin^2\theta_2\right)\ddot\theta_1": "(J1 + m2*L1**2 + J2*sin(th2)**2)*ddth1",
    r"J_2 \sin 2\theta_2 \dot\theta_1\dot\theta_2": "J2*sin(2*th2)*dth1*dth2",
    r"ml^2\sin^2\theta\,\dot\phi": "m*l**2*sin(th)**2*dph", r"\sqrt{\frac{g}{l}}": "sqrt(g/l)",
    r"\sqrt[3]{x}": "x**(1/3)", r"m \cdot g \times h": "m*g*h", r"\mathrm{e}^{x}": "exp(x)",
    r"e^{-\frac{c}{2m}t}": "exp(-c/(2*m)*t)", r"\left|x-3\right|": "abs(x - 3)", r"\lvert x \rvert": "abs(x)",
    r"\frac{d\theta}{dt}": "dth", r"\frac{d^2\theta}{dt^2}": "ddth", r"\frac{\mathrm{d}^2 x}{\mathrm{d}t^2}": "ddx",
    r"m\frac{d^2x}{dt^2}": "m*ddx", r"q_1^{\prime\prime}": "ddq1", r"\theta_1' \theta_2''": "dth1*ddth2",
    r"\theta(t)\dot\theta(t)": "th*dth", r"\boldsymbol{\tau}_1": "tau1",
    r"\underbrace{m a}_{\text{inertia}} + b": "m*a + b", r"{\dot\theta}_1^2": "dth1**2", r"\[ m g h \]": "m*g*h",
    r"\( m g h \).": "m*g*h", r"\begin{equation} m g h \label{eq:1} \end{equation}": "m*g*h",
    r"\sin \omega t": "sin(om*t)", r"\arctan x": "atan(x)", r"\operatorname{atan2}(y, x)": "atan2(y, x)",
    r"\sin\dot\theta": "sin(dth)", r"\cos\frac{\theta}{2}": "cos(th/2)", r"m\ddot{x} % the cart": "m*ddx",
    r"\left[ a + b \right] c": "(a+b)*c", r"x_1^2": "X1**2", r"sin(\theta) + cos(\theta)": "sin(th) + cos(th)"}
